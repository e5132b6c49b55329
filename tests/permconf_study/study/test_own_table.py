"""A table of one's own on the road of generated data: orders of rows, groups, checks and fingerprints."""

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from permconf.engine.evaluate import permuted
from permconf.errors import ConfigError
from permconf.permute.random_streams import Streams
from permconf_study.study.assessments import assess_datasets, evaluate_sample
from permconf_study.study.data_source import drawn, with_values
from permconf_study.study.datasets import read_datasets, write_datasets
from permconf_study.study.scenario import load_scenarios
from permconf_study.study.steps import Steps

WHERE = {"stream": "mine", "seed": 3}


@pytest.fixture
def table(rng):
    n = 120
    sex, age = rng.choice(["f", "m"], n), rng.uniform(20, 80, n)
    ill = np.where(rng.normal(size=n) + (sex == "m") + age / 40 > 2.2, "yes", "no")
    a = rng.normal(size=n) + (ill == "yes") + (sex == "m")
    columns = {"a": a, "b": rng.normal(size=n), "city": rng.choice(["x", "y", "z"], n), "sex": sex, "age": age}
    return pd.DataFrame(columns | {"id": np.repeat(np.arange(30), 4), "ill": ill})


@pytest.fixture
def scenario(tmp_path, table):
    """A function that writes table and scenario, with changes, and loads the scenario."""

    def load(name="mine", *, file="t.csv", frame=None, data=None, **changes):
        frame = table if frame is None else frame
        path = tmp_path / file
        if file.endswith(".parquet"):
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False, sep="\t" if file.endswith(".tsv") else ",")
        given = {"table": str(path), "response": "ill", "confounders": ["sex"], "features": ["a", "b"], "datasets": 4}
        given = {key: value for key, value in (given | (data or {})).items() if value is not None}
        content = {"title": "t", "data": given, "learner": "logistic", "metrics": ["auc"], "permutations": 19} | changes
        folder = tmp_path / "scenarios"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content))
        return load_scenarios(folder, {})[name]

    return load


def orders(scenario, count=4):
    return drawn(scenario["data"], {"dataset": np.arange(count)}, **WHERE)


def assessed(scenario, count=4):
    rows, _ = assess_datasets(with_values(orders(scenario, count), scenario), scenario, **WHERE)
    return pd.DataFrame(rows)


def test_a_data_set_is_the_table_in_random_order(scenario, table, tmp_path):
    mine = scenario()
    found = orders(mine)
    for one in found:
        assert sorted(one.y) == list(range(len(table)))
    assert len({tuple(one.y) for one in found}) == len(found)
    write_datasets(found, tmp_path / "d.npz")
    for one, order in zip(with_values(read_datasets(tmp_path / "d.npz"), mine), found, strict=True):
        assert one.number == order.number
        expected = table.iloc[order.y]
        np.testing.assert_array_equal(one.sample.features.X, expected[["a", "b"]])
        assert one.sample.response.given.tolist() == expected["ill"].tolist()
        assert one.sample.confounders.labels.tolist() == expected["sex"].tolist()


def test_the_metric_is_that_of_scikit_learn_on_the_same_rows(scenario, table):
    mine = scenario()
    rows = assessed(mine)
    assert set(rows["status"]) == {"ok"}
    for one, observed in zip(orders(mine), rows["observed"], strict=True):
        train, test = table.iloc[one.y[:60]], table.iloc[one.y[60:]]
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(train[["a", "b"]], train["ill"])
        assert observed == pytest.approx(
            roc_auc_score(test["ill"], model.decision_function(test[["a", "b"]])), abs=1e-12
        )


@pytest.mark.parametrize(
    "changes",
    [
        {"confounder": [{"quantiles": 3}], "data": {"confounders": "age"}},
        {"data": {"confounders": ["sex", "age"], "features": ["a", "b", "city"]}},
        {"learner": {"name": "sklearn.naive_bayes.GaussianNB"}, "data": {"features": ["a", "city"]}},
        {"learner": "nearest_neighbours", "adjustment": "matching"},
        {"adjustment": "residuals", "split": {"name": "stratified", "test_size": 40}},
        {
            "learner": "linear_regression",
            "metrics": ["r2", "mae"],
            "data": {"response": "b", "features": ["a", "city"]},
        },
        {"data": {"features": None, "groups": "id"}, "predictions": {"permutations": 19, "bootstrap": 9}},
    ],
)
def test_learners_adjustments_and_treatments(scenario, changes):
    rows = assessed(scenario(**changes))
    assert set(rows["status"]) == {"ok"}, rows["error"].tolist()
    assert rows["observed"].notna().all()
    assert rows["prediction_p"].between(0, 1).all()


# ---- groups ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("constant", [True, False])
def test_groups_stay_together_and_are_permuted_as_wholes_or_within(scenario, table, constant):
    if constant:
        table["ill"], table["sex"] = (table.groupby("id")[name].transform("first") for name in ("ill", "sex"))
    mine = scenario(data={"groups": "id"})
    for one in with_values(orders(mine), mine):
        evaluation = evaluate_sample(one.sample, mine, Streams(3, "mine", one.number))
        train, test = evaluation.part("train"), evaluation.part("test")
        groups, y = test.subjects.levels.values[test.subjects.codes], test.response.values[:, None]
        assert not np.intersect1d(train.subjects.levels.values, groups).size
        assert len(train) + len(test) == len(table)
        Y = permuted(evaluation, "restricted")["test"].shuffled(Streams(1, "x").keys("y", 50))
        assert (y != Y).any()
        by_group = pd.DataFrame(Y).groupby(groups)
        if constant:
            assert (by_group.nunique() == 1).all(axis=None)
        else:
            assert (by_group.sum() == pd.DataFrame(y).groupby(groups).sum().to_numpy()).all(axis=None)
    rows = assessed(mine)
    assert set(rows["status"]) == {"ok"}, rows["error"].tolist()


@pytest.mark.slow
@pytest.mark.statistical
def test_the_response_test_holds_its_level_with_groups_and_not_without(scenario, rng):
    """Features and response are constant within subjects and unrelated: 10 records of each of 40 subjects."""
    rejected = {"id": 0, None: 0}
    tables = 60
    for _ in range(tables):
        subject = np.repeat(np.arange(40), 10)
        values = {name: rng.normal(size=40)[subject] for name in "ab"}
        frame = pd.DataFrame(values | {"ill": rng.permutation(np.repeat(["n", "y"], 20))[subject], "id": subject})
        frame["sex"] = rng.choice(["f", "m"], 40)[subject]
        for groups in rejected:
            mine = scenario(
                frame=frame, data={"groups": groups, "datasets": 1}, learner="lda", predictions={"permutations": 1}
            )
            rejected[groups] += int(assessed(mine, 1)["response_p"].iloc[0] <= 0.05)
    error = np.sqrt(0.05 * 0.95 / tables)
    assert rejected["id"] / tables <= 0.05 + 3 * error
    assert rejected[None] / tables > 0.05 + 5 * error


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"data": {"response": "il"}}, r"response: the data have no column 'il', did you mean 'ill'\?"),
        ({"data": {"table": "nowhere.csv"}}, r"there is no file 'nowhere.csv'"),
        ({"data": {"generator": "bernoulli_gaussian"}}, r"data.generator is for generated data; leave it out"),
        ({"data": {"response": None}}, r"key 'response' is missing in data"),
        ({"metrics": ["auc", "mse"]}, r"metrics: some are for classification, others for regression"),
        ({"truth": {"response": True, "confounding": True}}, r"truth cannot be given beside data.table"),
        ({"data": {"confounders": ["age"]}, "split": "stratified"}, r"split 'stratified' needs levels"),
        ({"data": {"groups": "id"}, "split": "stratified"}, r"groups cannot be split by 'stratified'; choose 'half'"),
        ({"data": {"groups": "id"}, "confounder_tests": {"algorithm2": {"shuffles": 9}}}, r"needs independent rows"),
    ],
)
def test_mistakes_are_one_sentence_that_names_column_and_remedy(scenario, changes, sentence):
    with pytest.raises(ConfigError, match=sentence) as error:
        scenario(**changes)
    assert str(error.value).startswith("mine.yaml: ")
    assert "\n" not in str(error.value)


def test_confounders_that_vary_and_those_that_do_not_vary_within_groups_are_refused_together(scenario, table):
    table["sex"] = table.groupby("id")["sex"].transform("first")
    with pytest.raises(ConfigError, match="'age' varies within groups and 'sex' does not; give one scenario for each"):
        scenario(data={"groups": "id", "confounders": ["sex", "age"]})


# ---- fingerprints ----------------------------------------------------------------------------------------------------


def test_an_edited_table_is_another_table(scenario, table):
    def digests(mine):
        steps = Steps({"mine": mine}, {"seed": 1})
        return [steps.fingerprint(step, "mine") for step in ("simulate", "permutation_nulls")]

    before, again, value = digests(scenario()), digests(scenario()), assessed(scenario(), 1)["observed"]
    edited = scenario(frame=table.assign(b=table["b"].to_numpy()[::-1]))
    after = digests(edited)
    assert before == again
    assert (assessed(edited, 1)["observed"] != value).all()  # the file is read again
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_another_scenario_may_use_the_same_splits(scenario, tmp_path):
    mine = scenario()
    for name, data in (("same", "mine"), ("like", {"like": "mine", "confounders": ["age"]})):
        content = {"title": "t", "learner": "lda", "metrics": ["auc"], "data": data}
        (tmp_path / "scenarios" / f"{name}.yaml").write_text(yaml.safe_dump(content))
    loaded = load_scenarios(tmp_path / "scenarios", {})
    assert (loaded["same"]["stream"], loaded["same"]["table"]) == ("mine", mine["table"])
    assert (loaded["like"]["stream"], loaded["like"]["table"]["confounders"]) == ("like", ["age"])


def test_an_estimator_that_takes_missing_values_gets_them(scenario, table):
    gaps = table.assign(b=table["b"].where(table["b"] < 1))
    rows = assessed(
        scenario(frame=gaps, learner={"name": "sklearn.ensemble.HistGradientBoostingClassifier", "max_iter": 2}), 1
    )
    assert set(rows["status"]) == {"ok"}, rows["error"].tolist()

"""Examples and theorems: what some figures and pages show besides the tables of a scenario."""

RESIDUALS = ("adjust_exp1_residuals", "unneeded_none", "unneeded_residuals")


rule residual_tests:
    """Rejection rates of the tests for confounding after residualising, and where nothing acts on the features."""
    input:
        tests=expand("results/{scenario}/tests.parquet", scenario=RESIDUALS),
    output:
        table="results/arena/residuals.csv",
    params:
        scenarios=RESIDUALS,
    script:
        "../../scripts/residual_tests.py"


rule selected_draws:
    """Example data sets chosen by a criterion, and their recomputed draws."""
    input:
        tests="results/{scenario}/tests.parquet",
        datasets=STEPS.files("datasets"),
    output:
        examples="results/{scenario}/examples.csv",
        draws="results/{scenario}/selected_draws.parquet",
    priority: 1
    params:
        analysis=STEPS.analysis,
        seed=SETTINGS["seed"],
        plugins=lambda wildcards: STEPS.plugins(SCENARIOS[wildcards.scenario]),
    script:
        "../../scripts/selected_draws.py"


rule partial_correlations:
    """Partial correlation of every data set, by the usual formula and by Theorem 1."""
    input:
        tests="results/{scenario}/tests.parquet",
        datasets=STEPS.files("datasets"),
    output:
        association="results/{scenario}/association.parquet",
    priority: 1
    script:
        "../../scripts/partial_correlations.py"


rule stratified_example:
    """Sixteen samples with restricted and standard permutations of their response."""
    output:
        table="results/stratified.csv",
    priority: 1
    params:
        seed=SETTINGS["seed"],
    script:
        "../../scripts/stratified_example.py"


rule theorems:
    """Both sides of Theorems 1 and 2 on simulated data."""
    output:
        table="results/theorems.csv",
        decay="results/theorem_decay.csv",
    priority: 2
    params:
        seed=SETTINGS["seed"],
    script:
        "../../scripts/theorems.py"


rule tie_term:
    """The analytic null of the AUC without and with the term for ties, for forests on the first data sets of exp1."""
    input:
        datasets=lambda wildcards: STEPS.files_of("exp1", "datasets")[0],
    output:
        table="results/tie_term.csv",
    priority: 1
    params:
        analysis=lambda wildcards: {key: SCENARIOS["exp1_forest"][key] for key in ("stream", "split", "learner")},
        datasets=50,
        seed=SETTINGS["seed"],
    script:
        "../../scripts/tie_term.py"

"""Errors that a user can fix, each a single sentence, and the hints in them."""

import difflib
import errno

MANY, LISTED = 15, 10  # of more than MANY names, LISTED are shown


class ConfigError(ValueError):
    """Invalid input of a user; the message is one sentence."""


SYSTEM_ERRORS = (OSError, MemoryError, ImportError)  # worth retrying: no fault of a data set


def one_line(error):
    """The message of an error on one line."""
    return " ".join(str(error).split())


def describe_system_error(error):
    """What the operating system refused (one of SYSTEM_ERRORS), where, and what to do about a full disk."""
    if not getattr(error, "strerror", None):
        return one_line(error) or "there is not enough memory"
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    reason = "the disk is full; free some space and repeat the command, which resumes" if full else error.strerror
    return f"{error.filename}: {reason}" if error.filename else reason


def similar(name, known):
    """A hint such as `, did you mean 'auc'?`; "" if no known name is similar."""
    matches = difflib.get_close_matches(str(name), sorted({str(k) for k in known}), n=1, cutoff=0.5)
    return f", did you mean '{matches[0]}'?" if matches else ""


def nearest(name, known):
    """The hint of `similar`, or the list of known names (the first of many) if none is similar."""
    if hint := similar(name, known):
        return hint
    names = sorted({str(k) for k in known})
    shown = names if len(names) <= MANY else [*names[:LISTED], f"and {len(names) - LISTED} more"]
    return f"; choose from {', '.join(shown)}" if shown else ""


MEANT = {  # names of options, and what people try for them from habit
    "learner": ("estimator", "model", "clf", "classifier", "regressor"),
    "metric": ("scoring", "scorer", "metrics", "score"),
    "seed": ("random_state", "random_seed", "rng"),
    "response": ("target", "y", "outcome", "label", "labels", "Y"),
    "confounders": ("confounder", "confounds", "covariates", "c", "C", "Z"),
    "positive": ("pos_label", "positive_class", "pos"),
    "permutations": ("n_permutations", "n_resamples", "n_perm", "B", "b"),
    "cv": ("n_splits", "folds", "k", "k_fold"),
    "repeats": ("n_repeats",),
    "groups": ("subjects", "subject", "group", "cluster", "clusters"),
    "scores": ("predictions", "y_score", "y_pred", "y_prob", "proba"),
    "predictions": ("scores", "prediction", "y_score", "y_pred", "y_prob", "proba"),  # of the command line
    "data": ("df", "table", "frame", "X"),
    "features": ("X", "columns", "predictors"),
    "progress": ("verbose",),
    "n_jobs": ("jobs", "workers", "cores"),
    "jobs": ("n_jobs", "workers", "cores"),  # of the command line
    "out": ("output",),
    "bootstrap": ("n_bootstrap", "n_boot"),
    "interval": ("confidence_level", "level", "alpha"),
    "logistic": ("LogisticRegression", "logistic_regression"),  # of learners
}
NEVER = {"sample_weight": "rows cannot be weighted here; population= reweights them to a population of interest"}


def meant(name, known):
    """The known name that people mean by `name`; None if there is none."""
    return next((right for right, names in MEANT.items() if name in names and right in known), None)


def habit(name, known):
    """A hint for an argument: the right name of one that other libraries call so, else the nearest."""
    if name in NEVER:
        return f"; {NEVER[name]}"
    right = meant(name, known)
    return f"; it is called {right!r} here" if right else nearest(name, known)

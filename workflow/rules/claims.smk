"""The ledger of the paper's claims, and the report for readers."""

from permconf_study.paper.claims.catalogue import available, load_claims, optional_tables, required_tables

CLAIMS = str(HOME / "workflow/claims.yaml")
REPORT = HOME / "workflow/report"


rule claims:
    """The paper's claims, each checked against the tables of the run."""
    input:
        lambda wildcards: required_tables(load_claims(CLAIMS)),
        claims=ancient(CLAIMS),
    output:
        csv="results/claims.csv",
        json="results/claims.json",
        md=shown("results/claims.md", "Claims", "claims", table="ledger of claims"),
    priority: 1
    params:
        optional=lambda wildcards: existing(filter(None, map(available, optional_tables(load_claims(CLAIMS))))),
    script:
        "../../scripts/claims.py"


rule study_claims:
    """The claims of a study of one's own, each checked against the tables of the run."""
    input:
        study_claims_tables,
        claims=study_claims_file,
    output:
        csv="results/{family}/claims.csv",
        json="results/{family}/claims.json",
        md="results/{family}/claims.md",
    script:
        "../../scripts/claims.py"


rule html_report:
    """One page with the figures, the claims, the rejection rates and the facts of the run."""
    input:
        lambda wildcards: sorted({path for paths in FIGURES.report_tables().values() for path in paths}),
        figures=[*FIGURES.files("paper", kinds=["png"]), "figures/table1_parameters.png"],
        claims="results/claims.json",
        curves=expand("results/{scenario}/curves.csv", scenario=EXPERIMENTS),
        deviations=ancient(HOME / "docs/DEVIATIONS.md"),
        templates=ancient([REPORT / f"report.{kind}" for kind in ("html.j2", "css", "js")]),
    output:
        page=shown("results/report.html", "Report", "html_report", page="report"),
    params:
        captions=lambda wildcards: FIGURES.report_captions(),
        more=lambda wildcards: existing(FIGURES.more_images()),
        tables=lambda wildcards: FIGURES.report_tables(),
        scenarios=lambda wildcards: FIGURES.report_scenarios(CLAIMS),
        seed=SETTINGS["seed"],
    script:
        "../../scripts/html_report.py"

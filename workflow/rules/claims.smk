"""What became of the paper's claims, and the report for readers."""


localrules:
    claims,
    html_report,


rule claims:
    """The paper's claims, each checked against the tables of the run."""
    input:
        lambda wildcards: claim_tables(load_claims(CLAIMS)),
        claims=CLAIMS,
    output:
        csv="results/claims.csv",
        json="results/claims.json",
        md=report("results/claims.md", category="Claims", caption="../report/claims.rst"),
    log:
        "results/logs/claims.log",
    benchmark:
        "results/benchmarks/claims.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        code=code_digest("claims.ledger"),
    script:
        "../../scripts/claims.py"


rule html_report:
    """One page with the figures, the claims, the rejection rates and the facts of the run."""
    input:
        lambda wildcards: report_tables(),
        figures=[*(path for path in figures_of("paper") if path.endswith(".png")), "figures/table1_parameters.png"],
        claims="results/claims.json",
        curves=expand("results/{scenario}/curves.csv", scenario=EXPERIMENTS),
        deviations=HOME / "docs/DEVIATIONS.md",
        templates=expand(f"{HOME}/workflow/report/report.{{kind}}", kind=("html.j2", "css", "js")),
    output:
        page=report(
            "results/report.html",
            category="Report",
            caption="../report/html_report.rst",
        ),
    log:
        "results/logs/html_report.log",
    benchmark:
        "results/benchmarks/html_report.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        captions=lambda wildcards: report_captions(),
        tables=lambda wildcards: report_figure_tables(),
        scenarios=lambda wildcards: report_scenarios(),
        seed=config["seed"],
        code=code_digest("report.page"),
    script:
        "../../scripts/html_report.py"

"""Check the paper's claims against the tables of the run."""

from permconf_study.paper.claims.catalogue import load_claims
from permconf_study.paper.claims.ledger import ledger, write_ledger
from permconf_study.study.part_logs import step


@step("claims")
def main(smk):
    rows = ledger(load_claims(smk.input.claims))
    write_ledger(rows, csv=smk.output.csv, json_path=smk.output.json, md=smk.output.md)

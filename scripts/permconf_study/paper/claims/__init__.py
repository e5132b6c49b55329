"""The ledger of the paper's claims (`workflow/claims.yaml`), each checked against the tables of a run."""

"""The ledger of the paper's claims: each is checked against the tables of a run (`workflow/claims.yaml`)."""

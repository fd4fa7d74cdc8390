"""The theorems that Coq checked: what the files in ``proofs`` say, and having Coq check them."""

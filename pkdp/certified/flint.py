"""Ball arithmetic from python-flint, or a message that says how to install it."""

try:
    from flint import acb, acb_mat, arb, arb_mat, ctx, fmpq
except ImportError as error:
    raise ImportError(
        "certified values are computed with python-flint: install pkdp[certified]"
    ) from error

__all__ = ["acb", "acb_mat", "arb", "arb_mat", "ctx", "fmpq"]

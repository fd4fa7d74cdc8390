"""Files that are written whole or not at all."""

import secrets
from pathlib import Path


def write_whole(target: Path, content: bytes) -> None:
    """Write a file, or leave what was there if that fails."""
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)

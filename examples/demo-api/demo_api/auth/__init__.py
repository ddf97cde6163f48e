"""Authentication: tokens that expire, passwords, digests."""

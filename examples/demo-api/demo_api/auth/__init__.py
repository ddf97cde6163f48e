"""Who may come in: tokens that expire, passwords, digests."""

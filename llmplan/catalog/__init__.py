"""The catalog as people look it up: lists of its entries, and everything known of one, with sources."""

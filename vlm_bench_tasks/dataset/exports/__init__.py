"""Bags as what trainers read: every episode as aligned frames, and the formats that hold them."""

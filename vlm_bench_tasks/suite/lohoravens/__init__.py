"""The tasks of LoHoRavens."""

"""What follows from numbers: the tests of the paper and of this project, and the corrected metric."""

//! Tests that ask a program in Python, whose environment `tests/python-env.sh` makes. Their names begin with `python::`,
//! by which `./test quick` leaves them out.

mod contract;

//! A broker that breaks one rule at a time, to prove that each check of the contract bites.

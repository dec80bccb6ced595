//! XML form, see the schema.

//! Tests that start RabbitMQ, Redis or an S3 server. Their names begin with `servers::`, by which `./test quick` leaves
//! them out and `./test servers` runs them, a few at a time.

mod dashboard;
mod documented;
mod faults;
mod filing;
mod news;
mod removal;
mod restore;
mod s3;
mod seeds;
mod served;
mod tls;

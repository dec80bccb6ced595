//! Tests that start RabbitMQ, Redis or an S3 server. Their names begin with `servers::`, by which `./test quick` leaves
//! them out.

mod rabbitmq;
mod redis;
mod redis_cluster;
mod s3;

//! Checks of `newslode-common` as its users see it, on real servers where there are some.
mod redis_server;
mod store_redis;

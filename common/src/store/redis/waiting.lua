-- ------------------------------------------------------- frontier: who waits where

-- A site's keys, in the order that every function of the frontier gets them. `queues`: the waiting URLs of
-- each class, from class 0 on; class 1, the new ones, is the only one that 0.1.0 knows.
local function site_keys(keys, first)
  return {
    meta = keys[first], urls = keys[first + 1], leases = keys[first + 3], plans = keys[first + 7],
    remembered = keys[first + 9],
    queues = { keys[first + 4], keys[first + 2], keys[first + 5], keys[first + 6], keys[first + 10] },
  }
end

local function integer(number) return string.format('%.0f', number) end

-- Record of a URL: `depth why hops fetch attempts outcome content validators`; the last one is opaque here.
local function parse(record)
  local depth, why, hops, fetch, attempts, outcome, content, validators =
    string.match(record, '^(%d+) (%d) (%d+) (%d+) (%d+) (%S+) (%S+) (.*)$')
  if not depth then error('a URL has a broken record') end
  return {
    depth = tonumber(depth), why = tonumber(why), hops = hops, fetch = tonumber(fetch),
    attempts = tonumber(attempts), outcome = outcome, content = content, validators = validators,
  }
end

local function record(entry)
  return string.format('%.0f %d %s %.0f %.0f %s %s %s', entry.depth, entry.why, entry.hops, entry.fetch,
    entry.attempts, entry.outcome, entry.content, entry.validators)
end

-- Plan of a URL: `class seen schedule`: where it waits, its last good fetch or 0, and what is known of it,
-- which is opaque here. A new URL without a schedule has no plan.
local function plan_of(site, url)
  local held = redis.call('HGET', site.plans, url)
  if not held then return { class = 1, seen = '0', schedule = '' } end
  local class, seen, schedule = string.match(held, '^(%d) (%d+) (.*)$')
  if not class then error('a URL has a broken plan') end
  return { class = tonumber(class), seen = seen, schedule = schedule }
end

local function plan_text(plan)
  return string.format('%d %s ', plan.class, plan.seen) .. plan.schedule
end

local function put_plan(site, url, plan)
  if plan.class == 1 and plan.schedule == '' then
    redis.call('HDEL', site.plans, url)
  else
    redis.call('HSET', site.plans, url, plan_text(plan))
  end
end

local DAY = 86400000
local TOKEN = 1000

-- A site's settings; nil if no seed named it. `turn`: not claimed from before then.
local function settings(site)
  local max_pages, max_depth, delay, floor, slow, paused, last, rest, per_day, milli, at =
    unpack(redis.call('HMGET', site.meta, 'max_pages', 'max_depth', 'delay_ms', 'floor_ms', 'slow_ms', 'paused',
      'last', 'rest', 'per_day', 'milli', 'at'))
  if not max_pages then return nil end
  local turn = tonumber(rest or '0')
  delay = math.max(tonumber(delay), tonumber(floor or '0'), tonumber(slow or '0'))
  if last then turn = math.max(turn, tonumber(last) + delay) end
  local bucket
  if per_day then bucket = { per_day = tonumber(per_day), milli = tonumber(milli), at = tonumber(at) } end
  return {
    max_pages = tonumber(max_pages), max_depth = tonumber(max_depth), paused = paused == '1', turn = turn,
    delay = delay, bucket = bucket,
  }
end

-- The arithmetic of `schedule::Allowance`, in thousandths of tokens. All products stay below 2^53.
local function capacity(bucket)
  return math.max(math.floor(bucket.per_day * TOKEN / 4), 20 * TOKEN)
end

local function tokens(bucket, now)
  local passed = math.max(now - bucket.at, 0)
  local gained = math.floor(passed / DAY) * bucket.per_day * TOKEN
    + math.floor(passed % DAY * bucket.per_day * TOKEN / DAY)
  return math.min(bucket.milli + gained, capacity(bucket))
end

local function take_token(bucket, now)
  local left = tokens(bucket, now)
  -- Time that is too short for a thousandth of a token is kept for the next call.
  if left ~= bucket.milli then bucket.at = math.max(bucket.at, now) end
  bucket.milli = left - TOKEN
end

-- Tokens that must be there for a class.
local function threshold(bucket, class)
  local share = 0
  if class == 2 then share = math.floor(capacity(bucket) / 5) end
  if class == 3 then share = math.floor(capacity(bucket) * 2 / 5) end
  if class == 4 then share = math.floor(capacity(bucket) * 3 / 5) end
  return math.max(share, TOKEN)
end

local function put_bucket(site, bucket)
  redis.call('HSET', site.meta, 'per_day', integer(bucket.per_day), 'milli', integer(bucket.milli), 'at',
    integer(bucket.at))
end

local function earliest(key)
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if first[1] then return tonumber(first[2]), first[1] end
end

-- When a URL of a class that is due then can be claimed.
local function ready(of, class, due)
  local from = math.max(due, of.turn)
  if not of.bucket then return from end
  local missing = math.min(threshold(of.bucket, class), capacity(of.bucket)) - tokens(of.bucket, from)
  if missing <= 0 then return from end
  return math.max(from, of.bucket.at) + math.ceil(missing * DAY / (math.max(of.bucket.per_day, 1) * TOKEN)) + 1
end

-- The URL that is claimed now, when it was due, and the set that holds it. A lease that has ended stays where
-- it is until the URL is claimed again: until then its claim can still be completed.
local function candidate(site, of, now)
  local ended, ended_url = earliest(site.leases)
  if ended and ready(of, 0, ended) <= now then return ended_url, ended, site.leases end
  for class = 0, 4 do
    local due, url = earliest(site.queues[class + 1])
    if due and ready(of, class, due) <= now then return url, due, site.queues[class + 1] end
  end
end

-- Notes when something of the site may be claimed next; `+inf`: nothing is. `of`: its settings, if they are known.
local function index(sites, name, site, of)
  of = of or settings(site)
  if not of then
    redis.call('ZREM', sites, name)
    return
  end
  local from
  local ended = earliest(site.leases)
  if ended then from = ready(of, 0, ended) end
  for class = 0, 4 do
    local due = earliest(site.queues[class + 1])
    if due then from = math.min(from or math.huge, ready(of, class, due)) end
  end
  if of.paused or not from then
    redis.call('ZADD', sites, '+inf', name)
  else
    redis.call('ZADD', sites, integer(from), name)
  end
end

-- When something of the bucket's sites may be claimed first; '' if nothing is.
local function first_turn(sites)
  local first = redis.call('ZRANGE', sites, 0, 0, 'WITHSCORES')
  return first[2] and first[2] ~= 'inf' and first[2] or ''
end

-- Requests within the last ten minutes, this one included: the arithmetic of `schedule::Recent`. Returns the fields
-- that hold them, too.
local function count(site, now)
  local length = 600000
  local window = math.floor(now / length)
  local held, requests, before = unpack(redis.call('HMGET', site.meta, 'window', 'requests', 'before'))
  held, requests, before = tonumber(held or '0'), tonumber(requests or '0'), tonumber(before or '0')
  if held ~= window then
    before = held + 1 == window and requests or 0
    requests = 0
  end
  requests = requests + 1
  local fields = { 'window', integer(window), 'requests', integer(requests), 'before', integer(before) }
  return requests + math.floor(before * (length - now % length) / length), fields
end

-- A URL waits in a class from now on, or not at all if there is no due time.
local function wait(site, url, plan, due, class)
  if class ~= '' then plan.class = tonumber(class) end
  if due ~= '' then redis.call('ZADD', site.queues[plan.class + 1], due, url) end
end


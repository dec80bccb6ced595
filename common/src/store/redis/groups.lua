-- Cells and words of a site lie in groups: small hashes, which Redis packs tightly. Their number grows with the site by
-- linear hashing. Callers sort what they send by group; who knows an old number of groups is told the new one.

-- Fields a group holds on average before the next one is split. The number of packed entries is limited by
-- `hash-max-listpack-entries`, and a label's cells come in clumps.
local LOAD = 96

-- As `hash` in layout.rs. Exact: below 256 * 31^8.
local function hashed(home)
  local a, b, c, d, e, f, g, h = string.byte(home, 1, 8)
  local hash = ((((#home % 256 * 31 + (a or 0)) * 31 + (b or 0)) * 31 + (c or 0)) * 31 + (d or 0)) * 31
  return ((((hash + (e or 0)) * 31 + (f or 0)) * 31 + (g or 0)) * 31 + (h or 0)) % 2147483647
end

-- The last full power of two among the numbers of groups.
local function level_of(groups)
  local level = 1
  while level * 2 <= groups do level = level * 2 end
  return level
end

-- As `group` in layout.rs.
local function group(hash, groups)
  local level = level_of(groups)
  local at = hash % (level * 2)
  return at >= groups and at - level or at
end

-- The home of a cell, whose field is the letter of its table and its key: the name at the key's start.
local function cell_home(field)
  if string.byte(field) == 110 then return string.sub(field, 2) end -- n: pages
  return string.sub(field, 2, 12)
end

local function word_home(field) return field end

-- The numbers of a site's groups and fields: { groups of cells, cells, groups of words, words }; nil if it has none.
local function sizes(key, site)
  local held = redis.call('HGET', key, site)
  if not held then return nil end
  local numbers = {}
  for number in string.gmatch(held, '%d+') do numbers[#numbers + 1] = tonumber(number) end
  return numbers
end

-- Splits groups until they are small enough again. Returns their number.
local function split(base, groups, fields, home)
  while fields > LOAD * groups do
    local level = level_of(groups)
    local from, to = groups - level, groups
    groups = groups + 1
    local held, moved, names = redis.call('HGETALL', base .. ':' .. from), {}, {}
    for n = 1, #held, 2 do
      if hashed(home(held[n])) % (2 * level) == to then
        moved[#moved + 1], moved[#moved + 2] = held[n], held[n + 1]
        names[#names + 1] = held[n]
      end
    end
    write('HSET', base .. ':' .. to, moved)
    write('HDEL', base .. ':' .. from, names)
  end
  return groups
end

-- As `Cell::is_watched`: the letter of the table, a name, the letter of the role.
local function is_watched(field)
  return #field == 13 and string.byte(field) == 108 and string.byte(field, 13) == 108
end

-- A cell's value is its count. Nearly all counts are small, and making a text or a number of one takes longer than to
-- look it up. Filled at the first call: while a library is loaded there are no functions of Lua's.
local TEXTS, NUMBERS = {}, {}

local function prepare()
  for n = -1024, 1024 do
    TEXTS[n] = string.format('%.0f', n)
    NUMBERS[TEXTS[n]] = n
  end
end

-- A word's value is `df tf q`; without `q` if that is 0, and without `tf`, too, if that is `df`.
local function word(value)
  local small = NUMBERS[value]
  if small then return small, small, 0 end
  local df, tf, q = string.match(value, '^(%S+) ?(%S*) ?(%S*)$')
  if not df then error('`' .. value .. '` is not a word') end
  df = count(df)
  return df, tf == '' and df or count(tf), q == '' and 0 or count(q)
end

-- The text of a word; nil if it comes to nothing.
local function word_text(df, tf, q)
  if q ~= 0 then return text(df) .. ' ' .. text(tf) .. ' ' .. text(q) end
  if tf ~= df then return text(df) .. ' ' .. text(tf) end
  if df == 0 then return nil end
  return TEXTS[df] or text(df)
end

-- What adding to the cells of a group makes of it: { key, fields and values to set, fields to delete, growth }. Watched
-- cells that come or go are added to `flips`.
local function moved_cells(key, fields, by, flips)
  local set, sets, gone, grown = {}, 0, {}, 0
  local values = read(key, fields)
  for n = 1, #fields do
    local field, value, sum = fields[n], values[n], by[n]
    if value then
      sum = add(NUMBERS[value] or count(value), sum)
    else
      grown = grown + 1
      if is_watched(field) then flips[#flips + 1] = '+' .. string.sub(field, 2, 12) end
    end
    if sum == 0 then
      grown = grown - 1
      gone[#gone + 1] = field
      if is_watched(field) then flips[#flips + 1] = '-' .. string.sub(field, 2, 12) end
    else
      set[sets + 1], set[sets + 2] = field, TEXTS[sum] or text(sum)
      sets = sets + 2
    end
  end
  return { key, set, gone, grown }
end

-- The same for words.
local function moved_words(key, fields, by)
  local set, sets, gone, grown = {}, 0, {}, 0
  local values = read(key, fields)
  for n = 1, #fields do
    local value, df, tf, q = values[n], by[3 * n - 2], by[3 * n - 1], by[3 * n]
    if value then
      local had_df, had_tf, had_q = word(value)
      df, tf, q = add(had_df, df), add(had_tf, tf), add(had_q, q)
    else
      grown = grown + 1
    end
    local now = word_text(df, tf, q)
    if now then
      set[sets + 1], set[sets + 2] = fields[n], now
      sets = sets + 2
    else
      grown = grown - 1
      gone[#gone + 1] = fields[n]
    end
  end
  return { key, set, gone, grown }
end

-- Adds a batch's sums to a site: `parts` = { numbers of groups of cells and words, cells, words }; the last two as
-- { group, fields, by how much each, the next group, … }. `keys` are sizes, base of cells, base of words. Returns whether
-- anything changed, and the flips. All is read before the first write, so an error leaves all as it was.
local function add_sums(keys, site, held, parts)
  if not TEXTS[0] then prepare() end
  local groups, moved, hashes, flips = parts[1], { moved_cells, moved_words }, {}, {}
  held = held or { groups[1], 0, groups[2], 0 }
  for kind = 1, 2 do
    local sums, base = parts[1 + kind], keys[1 + kind]
    for n = 1, #sums, 3 do
      local hash = moved[kind](base .. ':' .. sums[n], sums[n + 1], sums[n + 2], flips)
      held[2 * kind] = held[2 * kind] + hash[4]
      hashes[#hashes + 1] = hash
    end
  end
  local changed = 0
  for _, hash in ipairs(hashes) do
    write('HSET', hash[1], hash[2])
    write('HDEL', hash[1], hash[3])
    if #hash[2] + #hash[3] > 0 then changed = 1 end
  end
  held[1] = split(keys[2], held[1], held[2], cell_home)
  held[3] = split(keys[3], held[3], held[4], word_home)
  redis.call('HSET', keys[1], site, table.concat(held, ' '))
  return changed, flips
end

-- Whether the caller knows how many groups a site has.
local function is_current(held, groups)
  return not held or (held[1] == groups[1] and held[3] == groups[2])
end

-- Tables of 0.1.0: one hash each, with labels as text. Programs of 0.1.0 may still write them.
local FIRST = { 'n', 'l', 'f', 'p', 't', 'k', 'g', 's', 'h', 'd' }

local function first_keys(base)
  local keys = {}
  for n, letter in ipairs(FIRST) do keys[n] = string.gsub(base, '%*', letter) end
  return keys
end

#!lua flags=no-writes
-- Tells where logs end.
--
-- KEYS  logs
-- Answer for each the length and the tag of its last entry, flat; 0 for one
-- that is no list, as the others must not suffer from it
local tails = {}
for _, key in ipairs(KEYS) do
	local length = redis.pcall('LLEN', key)
	if type(length) == 'table' then
		if not string.find(length.err, 'WRONGTYPE', 1, true) then
			return length
		end
		length = 0
	end
	tails[#tails + 1] = length
	tails[#tails + 1] = length > 0 and string.sub(redis.call('LINDEX', key, -1), 1, 8) or ''
end
return tails

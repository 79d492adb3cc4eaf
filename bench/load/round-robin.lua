-- Requests the paths of a file in turn. Prints a line with the first request, and a summary as JSON at the end.
--
-- BENCH_PATHS  the file, one path per line. Paths contain tokens, so only the file's owner can read it.
-- BENCH_THINK  the longest time that a connection waits before each request, in milliseconds; the mean is half of it.

local requests = {}
local last = 0
local asked = 0
local think = tonumber(os.getenv("BENCH_THINK") or "0")

function init()
  for path in io.lines(os.getenv("BENCH_PATHS")) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
end

function request()
  asked = asked + 1
  -- wrk calls this once to inspect the request, before it can be interrupted.
  if asked == 2 then
    io.write("BENCH begins\n")
    io.flush()
  end
  last = last % #requests + 1
  return requests[last]
end

-- wrk waits before requests only if this function exists.
if think > 0 then
  function delay()
    return math.random(0, think)
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nBENCH {"requests":%d,"microseconds":%d,"bytes":%d,"refused":%d,"broken":%d,"late":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    errors.status, errors.connect + errors.read + errors.write, errors.timeout,
    latency:percentile(50), latency:percentile(99), latency.max
  ))
end

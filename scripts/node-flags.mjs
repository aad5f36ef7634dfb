/**
 * How the server's Node is started. A request's objects live until its batch is on disk, then all die at once. A young
 * generation that starts large enough for them, and does not promote them, serves a badge in a quarter less time. It does
 * not grow beyond that, either: Node would let it take four times as much.
 */
export const nodeFlags = ['--min-semi-space-size=16', '--max-semi-space-size=16', '--no-allocation-site-pretenuring']

/** The C library keeps what each of many threads has freed for that thread alone, some 4 MB in all. An operator's own setting stays. */
export const nodeEnv = { MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2' }

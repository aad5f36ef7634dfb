/**
 * How the server's Node is started. A request's objects live until its batch is on disk, then all die at once. A young
 * generation that starts large enough for them, and does not promote them, serves a badge in a quarter less time. It does
 * not grow beyond that, either: Node would let it take four times as much.
 */
const youngGeneration = ['--min-semi-space-size=16', '--max-semi-space-size=16', '--no-allocation-site-pretenuring']

/** A signal opens no inspector, by which any program of this machine could run code in the server. */
export const nodeFlags = [...youngGeneration, '--disable-sigusr1']

/**
 * The C library keeps what each of many threads has freed for that thread alone, some 4 MB in all. And once 20 MB in one piece
 * were freed, it takes the next such pieces from the heap, which does not shrink again. An operator's own settings stay.
 */
export const nodeEnv = {
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
  MALLOC_MMAP_THRESHOLD_: process.env.MALLOC_MMAP_THRESHOLD_ ?? '1048576',
}

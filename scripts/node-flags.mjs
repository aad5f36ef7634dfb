// A request's objects live until its batch is on disk, then become garbage together. A young generation that starts
// large enough and promotes none takes a quarter off a badge's time. It is capped: by default it may grow fourfold.
const youngGeneration = ['--min-semi-space-size=16', '--max-semi-space-size=16', '--no-allocation-site-pretenuring']

/** SIGUSR1 must not open an inspector, through which any program on this machine could run code in the server. */
export const nodeFlags = [...youngGeneration, '--disable-sigusr1']

/**
 * By default the C library keeps memory that a thread has freed for that thread, about 4 MB in total. After a block of
 * 20 MB is freed, it also allocates later blocks of that size on the heap, which does not shrink again. An operator's
 * own settings take precedence.
 */
export const nodeEnv = {
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
  MALLOC_MMAP_THRESHOLD_: process.env.MALLOC_MMAP_THRESHOLD_ ?? '1048576',
}

/** `beyond`: what the whole run adds to the `usual` tests of `npm test`. Files run by hand run all their tests. */
export type TestRun = 'usual' | 'beyond' | 'all'

const place = 'TOOLBOX_TEST_RUN'
export const testRunEnv = (run: TestRun): Record<string, string> => ({ [place]: run })
export function testRun(): TestRun {
  const run = process.env[place]
  return run === 'usual' || run === 'beyond' ? run : 'all'
}

/** Names of files that only the whole run includes, such as those about the image, fuzzing, kills and restores. */
export const releaseTests = /\.release\.(?:test|spec)\.\w+$/
/** Ends the title of a browser test that only the whole run includes, in a file that also has usual ones. */
export const releaseTag = ' @release'

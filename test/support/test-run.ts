/**
 * Which tests run: the `usual` ones of `npm test`, what the whole run has `beyond` them, or everything. Whoever runs files
 * by hand runs all that is in them.
 */
export type TestRun = 'usual' | 'beyond' | 'all'

const place = 'TOOLBOX_TEST_RUN'
export const testRunEnv = (run: TestRun): Record<string, string> => ({ [place]: run })
export function testRun(): TestRun {
  const given = process.env[place]
  return given === 'usual' || given === 'beyond' ? given : 'all'
}

/** The names of files whose tests only the whole run has, such as image, fuzz, kills and restores. */
export const releaseTests = /\.release\.(?:test|spec)\.\w+$/
/** Ends the title of a browser test that only the whole run has, in a file that also has others. */
export const releaseTag = ' @release'

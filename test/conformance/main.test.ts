import { describe, expect, test } from 'vitest'
import { conformance, type Report } from './main.ts'

type Steps = { title: string; error?: object }[]
const file = (name: string, title: string, ...tries: Steps[]) => ({
  file: name,
  specs: [],
  suites: [{ file: name, specs: [{ title, tests: [{ results: tries.map((steps) => ({ steps })) }] }] }],
})
const report = (...suites: Report['suites']): Report => ({ suites })

const home = file('conformance/home.spec.ts', 'For a visitor', [{ title: 'It says a | b.' }])
const about = file('conformance/about-pages.spec.ts', 'Keep Alive', [{ title: 'It has three buttons.' }])
const failed = file('conformance/home.spec.ts', 'For a visitor', [{ title: 'It greets.', error: {} }])

describe('the page of conformance', () => {
  test('has a heading a file, a table a test and a line a step, in the order of the files', () => {
    expect(conformance(report(home, about)).split('\n').slice(4)).toEqual([
      '## About pages',
      '',
      '### Keep Alive',
      '',
      '| Behaviour | Result |',
      '|---|---|',
      '| It has three buttons. | holds |',
      '',
      '## Home',
      '',
      '### For a visitor',
      '',
      '| Behaviour | Result |',
      '|---|---|',
      '| It says a \\| b. | holds |',
      '',
    ])
  })

  test('leaves every other browser test out', () => {
    expect(conformance(report(home, file('walk.spec.ts', 'A walk', [{ title: 'One step' }])))).toBe(
      conformance(report(home)),
    )
  })

  test('names a line whose check failed as open', () => {
    expect(conformance(report(failed))).toContain('| It greets. | open |')
  })

  test('takes what the last try showed', () => {
    const twice = file('conformance/home.spec.ts', 'For a visitor', [{ title: 'A', error: {} }], [{ title: 'A' }])
    expect(conformance(report(twice))).toContain('| A | holds |')
  })

  test('has one section of a file that only the whole run completes', () => {
    const more = file('conformance/home.spec.ts', 'For a user @release', [{ title: 'It greets.' }])
    const page = conformance(report(home, about, more))
    expect(page.match(/^#+ .*/gm)).toEqual([
      '# Conformance',
      '## About pages',
      '### Keep Alive',
      '## Home',
      '### For a visitor',
      '### For a user',
    ])
  })
})

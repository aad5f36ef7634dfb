import { describe, expect, test } from 'vitest'
import { conformance, type Report } from './conformance.ts'

type Lines = { type: string; description: string }[]
const line = (description: string, type = 'holds') => ({ type, description })
const file = (name: string, title: string, ...tries: Lines[]) => ({
  file: name,
  specs: [],
  suites: [{ file: name, specs: [{ title, tests: [{ results: tries.map((annotations) => ({ annotations })) }] }] }],
})
const report = (...suites: Report['suites']): Report => ({ suites })

const home = file('screens/home.spec.ts', 'For a visitor', [line('It says a | b.')])
const about = file('screens/tools/about-pages.spec.ts', 'Keep Alive', [line('It has three buttons.')])
const failed = file('screens/home.spec.ts', 'For a visitor', [line('It greets.', 'open')])

describe('the conformance page', () => {
  test('has a heading per file, a table per test and a line per statement, sorted by file', () => {
    expect(conformance(report(about, home)).split('\n').slice(4)).toEqual([
      '## Home',
      '',
      '### For a visitor',
      '',
      '| Behaviour | Result |',
      '|---|---|',
      '| It says a \\| b. | holds |',
      '',
      '## Tools: about pages',
      '',
      '### Keep Alive',
      '',
      '| Behaviour | Result |',
      '|---|---|',
      '| It has three buttons. | holds |',
      '',
    ])
  })

  test('omits tests without statements', () => {
    expect(conformance(report(home, file('browser/walk.spec.ts', 'A walk', [line('One step', 'note')])))).toBe(
      conformance(report(home)),
    )
  })

  test('marks a statement as open when its check failed', () => {
    expect(conformance(report(failed))).toContain('| It greets. | open |')
  })

  test('uses the result of the last try', () => {
    const twice = file('screens/home.spec.ts', 'For a visitor', [line('A', 'open')], [line('A')])
    expect(conformance(report(twice))).toContain('| A | holds |')
  })

  test('merges the usual and the release tests of a file into one section', () => {
    const more = file('screens/home.spec.ts', 'For a user @release', [line('It greets.')])
    const page = conformance(report(home, about, more))
    expect(page.match(/^#+ .*/gm)).toEqual([
      '# Conformance',
      '## Home',
      '### For a visitor',
      '### For a user',
      '## Tools: about pages',
      '### Keep Alive',
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { truncate } from '../event/text.ts'
import { type DiscordEmbed, embedAbout, limits, withinLimits } from './message.ts'

const family = '👨‍👩‍👧‍👦'
const embedWith = (embed: Partial<DiscordEmbed>) => {
  const embeds = [{ title: 'T', color: 0, ...embed }]
  return withinLimits({ username: 'Heroku', embeds, allowed_mentions: { parse: [] } }).embeds?.[0]
}

describe('a text', () => {
  test.each([
    ['lantern', 7, 'lantern'],
    ['lanterns', 7, 'lanter…'],
    ['lamp oil', 6, 'lamp…'],
    [`ab${family}`, 5, 'ab…'],
    [`${family}${family}`, 12, `${family}…`],
    ['e\u0301e\u0301', 3, 'e\u0301…'],
    ['🇨🇭🇨🇭', 6, '🇨🇭…'],
    [family, 5, '…'],
    ['a\\*b\\*c', 6, 'a\\*b…'],
    ['a\\\\b\\*c', 5, 'a\\\\b…'],
    ['abc', 0, ''],
  ])('%s cut to %i is %s', (text, most, expected) => {
    expect(truncate(text, most)).toBe(expected)
  })

  test('is never longer than the limit, and never cut within a grapheme', () => {
    const graphemes = (text: string) => [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
        const truncated = truncate(text, most)
        expect(truncated.length).toBeLessThanOrEqual(most)
        const remaining = graphemes(truncated.replace(/…$/, ''))
        expect(graphemes(text).slice(0, remaining.length)).toEqual(remaining)
      }),
    )
  })
})

describe('a message', () => {
  test('within the limits is not changed', () => {
    const message = {
      username: 'Heroku',
      content: 'Hello',
      embeds: [{ title: 'T', color: 1, description: 'D', fields: [{ name: 'N', value: 'V' }], footer: { text: 'F' } }],
      allowed_mentions: { parse: [] as [] },
    }
    expect(withinLimits(message)).toEqual(message)
  })

  test.each([
    ['title', { title: 'x'.repeat(300) }, (embed?: DiscordEmbed) => embed?.title, limits.title],
    [
      'description',
      { description: 'x'.repeat(5000) },
      (embed?: DiscordEmbed) => embed?.description,
      limits.description,
    ],
    ['footer', { footer: { text: 'x'.repeat(3000) } }, (embed?: DiscordEmbed) => embed?.footer?.text, limits.footer],
    [
      'name of a field',
      { fields: [{ name: 'x'.repeat(300), value: 'v' }] },
      (embed?: DiscordEmbed) => embed?.fields?.[0]?.name,
      limits.fieldName,
    ],
    [
      'value of a field',
      { fields: [{ name: 'n', value: 'x'.repeat(3000) }] },
      (embed?: DiscordEmbed) => embed?.fields?.[0]?.value,
      limits.fieldValue,
    ],
  ])('keeps its %s within the limit', (_part, values, part, most) => {
    const text = part(embedWith(values))
    expect(text).toHaveLength(most)
    expect(text).toMatch(/x…$/)
  })

  test('keeps its content within the limit', () => {
    const message = withinLimits({ username: 'H', content: 'c'.repeat(3000), allowed_mentions: { parse: [] } })
    expect(message.content).toHaveLength(limits.content)
  })

  test('has at most 6000 characters in total; the first parts are kept and later fields omitted', () => {
    const embed = embedWith({
      title: 't'.repeat(256),
      description: 'd'.repeat(4096),
      fields: Array.from({ length: 25 }, (_, index) => ({ name: `n${index}`, value: 'v'.repeat(1000) })),
    })
    expect(embed?.title).toHaveLength(256)
    expect(embed?.description).toHaveLength(4096)
    expect(embed?.fields).toHaveLength(2)
    expect(embed?.fields?.[1]?.value).toMatch(/v…$/)
  })

  test('has no blank parts, which Discord rejects, even if a stored card does', () => {
    const facts = [
      ['Stack', ' \n'],
      ['By', 'ada'],
    ] satisfies [string, string][]
    const about = { app: { id: undefined, name: 'lantern' }, publishedAt: null, footer: 'api:build' }
    const embed = embedAbout(about, { tone: 'good', emoji: '🚀', title: 'released', description: ' ', facts })
    expect(embed).not.toHaveProperty('description')
    expect(embed.fields).toEqual([{ name: 'By', value: 'ada', inline: true }])
  })
})

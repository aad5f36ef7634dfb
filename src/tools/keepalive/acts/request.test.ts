import { expect, test } from 'vitest'
import { outcomeOf } from './request.ts'

const html = 'text/html'
const german = 'Gr\xfc\xdfe'
const chinese = '\xd5\xfd\xb3\xa3'
const edge = '<meta http-equiv="X-UA-Compatible" content="IE=Edge">'

test.each([
  ['the second of two meta elements', html, `<!doctype html>${edge}<meta charset="gb2312"><title>${chinese}`, '正常'],
  ['the older form', html, `<META content='a; charset = "koi8-r"' http-equiv=Content-Type>\xc4\xc1`, 'да'],
  ['no meta element within a comment', html, '<!-- <meta charset="koi8-r"> --><meta charset=utf-8>\xd0\xb4', 'д'],
  ['no meta element within a value', html, '<p title="<meta charset=koi8-r>">\xd0\xb4', 'д'],
  ['no content without http-equiv', html, '<meta name="a" content="text/html; charset=koi8-r">\xd0\xb4', 'д'],
  ['no meta element after 1,024 bytes', html, `${' '.repeat(1_024)}<meta charset="koi8-r">\xd0\xb4`, 'д'],
  ['UTF-8 for UTF-16, which the page itself cannot be in', html, '<meta charset="utf-16">\xd0\xb4', 'д'],
  ['a label of the standard', html, '<meta charset="x-sjis">\x93\xfa', '日'],
  ['what latin1 stands for', html, '<meta charset="latin1">\x80', '€'],
  ['the header before the page', `${html}; charset="ISO-8859-1"`, `<meta charset="koi8-r">${german}`, 'Grüße'],
  [
    'the page if nobody knows what the header says',
    `${html}; charset=klingon`,
    `<meta charset="latin1">${german}`,
    'Grüße',
  ],
  ['the byte order mark before both', `${html}; charset=latin1`, '\xef\xbb\xbf<meta charset="koi8-r">\xd0\xb4', 'д'],
  ['UTF-16 by its mark', html, '\xff\xfe\x34\x04', 'д'],
  ['the first line of XML', 'application/rss+xml', `<?xml version="1.0" encoding='iso-8859-1'?>${german}`, 'Grüße'],
  ['no meta element of XML', 'application/xhtml+xml', '<meta charset="koi8-r"/>\xd0\xb4', 'д'],
  ['no meta element of JSON', 'application/json', '{"a":"<meta charset=koi8-r>\xd0\xb4"}', 'д'],
  ['UTF-8 where nothing is said', html, '\xd0\xb4', 'д'],
  ['UTF-8 where it breaks off', '', '\xd0\xb4<meta content="charset', 'д'],
  ['a page of an unknown type', '', `<meta charset="latin1">${german}`, 'Grüße'],
  ['UTF-8 for what browsers refuse to read', `${html}; charset=iso-2022-kr`, '\xd0\xb4', 'д'],
])('a text is looked for as browsers read a page: %s', (_what, type, body, text) => {
  const answer = {
    answered: true as const,
    status: 200,
    headers: { 'content-type': type },
    body: Buffer.from(body, 'latin1'),
    url: 'https://a.example/',
    duration: 1,
  }
  const asked = { url: answer.url, expect: { text } }
  expect(outcomeOf(answer, asked)).toEqual({ success: true, duration: 1, count: 200 })
})

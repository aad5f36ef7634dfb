import { expect, test } from 'vitest'
import { toolbox } from './support/toolbox.ts'

type Described = { paths: Record<string, Record<string, { tags: string[]; summary?: string }>> }

test('the description of the API says of every call what it does, and has headings for people', async () => {
  const box = await toolbox('sqlite')
  const api: Described = (await box.app.inject('/api/v1/openapi.json')).json()
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, summary }]) => ({ call: `${method} ${path}`, tags, summary })),
  )
  expect(operations.filter(({ summary }) => !summary)).toEqual([])
  const headings = [...new Set(operations.flatMap(({ tags }) => tags))]
  expect(headings).toEqual(expect.arrayContaining(['Sign-in', 'Your account', 'Users']))
  expect(headings.filter((heading) => !/^[A-Z]/.test(heading))).toEqual([])
  await box.close()
})

test('the description of the API says that the way back from a provider always leads on to a page', async () => {
  const box = await toolbox('sqlite')
  const { paths } = (await box.app.inject('/api/v1/openapi.json')).json()
  const { '200': ok, '302': onward } = paths['/api/auth/callback/{provider}'].get.responses
  expect([ok, onward.description]).toEqual([undefined, expect.stringContaining('page')])
  await box.close()
})

import { mergeTests } from '@playwright/test'
import { browserOf, test as crowded } from '../../support/page/crowd.ts'
import { expect, toasts } from '../../support/page/kit.ts'
import { test as statements } from '../statements.ts'
import { entryTools } from './entry-tools.ts'

const test = mergeTests(statements, crowded)

type Entry = { id: string; owner: string; status: boolean }

for (const { contract, field, address } of entryTools) {
  const { id: tool, path, label } = contract
  test(label, async ({ browser, house, callers, other, holds }) => {
    const owner = callers['Tools 1']
    const admin = callers['Tools 2']
    const entryFrom = async (answer: Response) => (await answer.json()) as Entry
    const listed = async ({ call }: typeof owner) =>
      ((await (await call('GET', `${path}/list`)).json()) as Entry[]).map(({ id }) => id)
    const made = await owner.call('POST', `${path}/`, { [field.name]: address(house, 'mine'), status: false })
    const { id } = await entryFrom(made.clone())

    await holds('Whoever makes an entry with Tools 1 is its owner.', async () => {
      expect(made.status).toBe(201)
      expect((await entryFrom(made)).owner).toBe(owner.email)
    })
    await holds('Its owner reads, lists and changes it.', async () => {
      expect((await owner.call('GET', `${path}?id=${id}`)).status).toBe(200)
      expect(await listed(owner)).toContain(id)
      expect((await owner.call('PATCH', path, { id, status: false })).status).toBe(200)
    })
    await holds(
      'For somebody else with Tools 1 it is not there: 404 to read, change and delete, and not listed.',
      async () => {
        expect((await other.call('GET', `${path}?id=${id}`)).status).toBe(404)
        expect((await other.call('PATCH', path, { id, status: true })).status).toBe(404)
        expect((await other.call('DELETE', `${path}?id=${id}`)).status).toBe(404)
        expect(await listed(other)).toEqual([])
      },
    )
    await holds('On the modify page somebody else reads that it was not found, before the search form.', async () => {
      const page = await browserOf(browser, house, other)
      await page.goto(`/tools/${tool}/modify?id=${id}`)
      await expect(toasts(page, 'danger', 'Entry not found.')).toBeVisible()
      await expect(page.getByLabel('Enter your ID')).toBeVisible()
      await page.context().close()
    })
    await holds('With Tools 2 everybody’s entries are read, listed and changed.', async () => {
      expect((await admin.call('GET', `${path}?id=${id}`)).status).toBe(200)
      expect(await listed(admin)).toContain(id)
      expect((await admin.call('PATCH', path, { id, status: false })).status).toBe(200)
    })
    await holds('With Tools 1 an entry cannot be given to somebody else.', async () => {
      expect((await owner.call('PATCH', path, { id, owner: other.email })).status).toBe(400)
    })
    await holds('With Tools 2 it can, and then it is the other’s alone.', async () => {
      const given = await admin.call('PATCH', path, { id, owner: other.email })
      expect((await entryFrom(given)).owner).toBe(other.email)
      expect((await owner.call('GET', `${path}?id=${id}`)).status).toBe(404)
      expect(await listed(other)).toEqual([id])
    })
    await holds('Its owner deletes it.', async () => {
      expect((await other.call('DELETE', `${path}?id=${id}`)).status).toBe(200)
      expect(await listed(admin)).not.toContain(id)
    })
  })
}

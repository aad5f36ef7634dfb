import { expect, test } from '../../support/page/kit.ts'
import { dismiss, person } from '../../support/page/users.ts'
import { password } from '../../support/people.ts'
import { signedIn } from '../../support/process.ts'

test.use({ visitor: 'ada', provoked: [/409 \(Conflict\)/] })

test('What somebody else changed in the meantime', async ({ page, house, holds }) => {
  const id = await house.entry('/contested')
  const url = (word: string) => house.target.url(`/contested?${word}`)
  const boris = await person(house, 'boris', { Tools: 2 })
  const call = await signedIn(house.url, { username: 'boris', password })
  const change = (word: string) => call('PATCH', '/api/v1/keepalive', { id, url: url(word) })
  const field = page.getByLabel('URL')
  const dialog = page.getByRole('dialog', { name: /^Changed by boris .* ago|^Changed by boris just now/ })
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await holds(
    'A form with unsaved changes says that somebody changed the entry, and keeps what was typed.',
    async () => {
      await field.fill(url('mine'))
      await change('theirs')
      await expect(page.getByText("boris changed this entry. Your changes aren't saved yet.")).toBeVisible()
      await expect(field).toHaveValue(url('mine'))
    },
  )
  await holds(
    'Save then changes nothing, and asks: who changed what and when, and how that differs from what you typed.',
    async () => {
      await page.keyboard.press('ControlOrMeta+s')
      await expect(dialog.getByRole('definition')).toHaveText([
        `Before${house.target.url('/contested')}`,
        `Theirs${url('theirs')}`,
        `Yours${url('mine')}`,
      ])
      expect((await house.entries()).find((one) => one.id === id)?.url).toBe(url('theirs'))
    },
  )
  await holds('Escape goes on editing.', async () => {
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(field).toHaveValue(url('mine'))
  })
  await holds(
    "'Save mine anyway' saves the fields you edited over the other version, and keeps its others.",
    async () => {
      await page.keyboard.press('ControlOrMeta+s')
      await dialog.getByRole('button', { name: 'Save mine anyway' }).click()
      await expect(dialog).toBeHidden()
      await expect.poll(async () => (await house.entries()).find((one) => one.id === id)?.url).toBe(url('mine'))
    },
  )
  await holds("'Load their version' drops what was typed.", async () => {
    await field.fill(url('again'))
    await change('last')
    await page.keyboard.press('ControlOrMeta+s')
    await dialog.getByRole('button', { name: 'Load their version' }).click()
    await expect(field).toHaveValue(url('last'))
    await expect(page.getByText('Unsaved changes')).toBeHidden()
  })
  await house.remove(id)
  await dismiss(house, boris)
})

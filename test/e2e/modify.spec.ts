import type { Page } from '@playwright/test'
import { expect, test, toasts } from './kit.ts'

test.use({ visitor: 'ada' })

const modify = '/tools/keepalive/modify'
const runs = (page: Page) => page.getByRole('list', { name: 'Runs' }).getByRole('listitem')

test('an entry is found by its id, and Reset returns to the search', async ({ page, house }) => {
  const id = await house.entry('/found')
  await page.goto(modify)
  await expect(page).toHaveTitle('ToolBox - Modify Keep Alive')
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await page.getByLabel('Enter your ID').fill(` ${id} `)
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page).toHaveURL(`${modify}?id=${id}`)
  await expect(page.getByRole('toolbar').getByRole('button')).toHaveText(['Save', 'Delete', 'Reset'])
  await page.getByLabel('URL').fill('https://example.com/other')
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(page).toHaveURL(modify)
  await expect(page.getByLabel('Enter your ID')).toHaveValue('')
  await house.remove(id)
})

test.describe('an id that nobody has', () => {
  test.use({ provoked: [/status of 404/] })
  test('leads back to the search with a danger toast', async ({ page }) => {
    await page.goto(`${modify}?id=nobody-has-this`)
    await expect(toasts(page, 'danger')).toHaveCount(1)
    await expect(page.getByLabel('Enter your ID')).toBeVisible()
  })
})

test('a change is saved, and the same entry stays', async ({ page, house }) => {
  const id = await house.entry('/change')
  await page.goto(`${modify}?id=${id}`)
  await page.getByLabel('URL').fill(house.target.url('/changed'))
  await page.getByRole('switch', { name: 'Active' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toasts(page, 'success')).toContainText('Successfully updated entry.')
  await expect(page.getByText('Unsaved changes')).toHaveCount(0)
  await page.keyboard.press('Control+s')
  await expect(toasts(page, 'success')).toHaveCount(1)
  await page.reload()
  await expect(page.getByLabel('URL')).toHaveValue(house.target.url('/changed'))
  await expect(page.getByRole('switch', { name: 'Active' })).not.toBeChecked()
  await expect(page.getByText('Paused while the entry is inactive.')).toBeVisible()
  await house.remove(id)
})

test('Run now runs it, and every run appears by itself with SUCCESS or FAIL', async ({ page, house }) => {
  const id = await house.entry('/runs')
  await page.goto(`${modify}?id=${id}`)
  await expect(runs(page)).toHaveCount(1)
  await expect(runs(page)).toHaveText(/^SUCCESS\s*\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M/)
  await page.getByRole('button', { name: 'Run now' }).click()
  await expect(runs(page)).toHaveCount(2)
  expect(house.target.visits('/runs')).toBe(2)
  await house.call('PATCH', '/api/v1/keepalive', { id, url: house.target.url('/down') })
  await expect(page.getByLabel('URL')).toHaveValue(/\/runs$/)
  await house.call('POST', `/api/v1/keepalive/run?id=${id}`)
  await expect(runs(page).first()).toContainText('FAIL')
  await expect(runs(page).first()).toContainText('answered 503')
  await house.remove(id)
})

test('what one is typing survives a run that arrives meanwhile', async ({ page, house }) => {
  const id = await house.entry('/typing')
  await page.goto(`${modify}?id=${id}`)
  await expect(runs(page)).toHaveCount(1)
  await page.getByLabel('URL').fill('https://example.com/half-typ')
  await house.call('POST', `/api/v1/keepalive/run?id=${id}`)
  await expect(runs(page)).toHaveCount(2)
  await expect(page.getByLabel('URL')).toHaveValue('https://example.com/half-typ')
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  await house.remove(id)
})

test.describe('deleting', () => {
  test.use({ provoked: [/status of 404/] })

  test('asks first; only the button that says so deletes', async ({ page, house }) => {
    const id = await house.entry('/delete')
    await page.goto(`${modify}?id=${id}`)
    const remove = page.getByRole('button', { name: 'Delete' })
    const dialog = page.getByRole('dialog', { name: `Delete ${id} ?` })
    await remove.click()
    await expect(dialog.getByRole('heading')).toHaveText(`Delete ${id} ?`)
    await expect(dialog).toContainText('Are you sure you want to delete this keep-alive entry?')
    await expect(dialog.getByRole('button')).toHaveText(['No', 'Yes, Nuke it'])
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await remove.click()
    await dialog.getByRole('button', { name: 'No' }).click()
    await expect(dialog).toHaveCount(0)
    expect((await house.call('GET', `/api/v1/keepalive?id=${id}`)).status).toBe(200)

    await remove.click()
    await dialog.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expect(toasts(page, 'success')).toContainText('Successfully deleted entry.')
    await expect(page.getByLabel('Enter your ID')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    await expect(page).toHaveURL(`${modify}?id=${id}`)
    expect((await house.call('GET', `/api/v1/keepalive?id=${id}`)).status).toBe(404)
  })

  test('a click beside the dialog, or Ctrl+S, only shakes it for 100 ms', async ({ page, house }) => {
    const id = await house.entry('/shake')
    await page.addInitScript(`window.shakes = []
      const animate = Element.prototype.animate
      Element.prototype.animate = function (frames, time) {
        shakes.push(time)
        return animate.call(this, frames, time)
      }`)
    await page.goto(`${modify}?id=${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.mouse.click(20, 300)
    expect(await page.evaluate('shakes')).toEqual([100])
    await page.keyboard.press('Control+s')
    expect(await page.evaluate('shakes')).toEqual([100, 100])
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(toasts(page)).toHaveCount(0)
    await house.remove(id)
  })
})

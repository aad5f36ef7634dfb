import type { Page } from '@playwright/test'
import {
  createEntry,
  entryTools,
  releaseTagOf,
  removeEntries,
  rootOf,
  entryRows as rows,
} from '../../support/page/entry-tools.ts'
import { nextCall } from '../../support/page/forms.ts'
import { cellOf, delayRequests, expect, navigate, nextFrame, test, toasts } from '../../support/page/kit.ts'
import { admin } from '../../support/process.ts'

test.use({ signedInAs: 'ada' })

const stampForm = /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const search = (page: Page, column: string) => page.getByLabel(`Search ${column}`)
const nothing = (page: Page) => page.getByText('No rows match your search.')
const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()')
const list = '/tools/keepalive/viewlist'

test.describe('columns and searches', () => {
  test.use({
    signedInAs: 'ada',
    viewport: { width: 1400, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })

  for (const tool of entryTools) {
    const { contract, columns, partialMatchColumns: foundByPart } = tool
    test(`${contract.label}${releaseTagOf(tool)}`, async ({ page, instance, holds }) => {
      await removeEntries(instance, tool)
      const all = []
      for (const name of ['first', 'second', 'asleep'])
        all.push(await createEntry(instance, tool, name, { status: name !== 'asleep' }))
      const [first, , asleep] = all.map(({ id }) => id) as [string, string, string]
      const cell = (id: string, column: string) => cellOf(rowOf(page, id), column)

      await holds(`It calls GET ${contract.path}/list; the title is 'ToolBox - ${contract.label} List'.`, async () => {
        const call = await nextCall(page, 'GET', () => page.goto(`${rootOf(tool)}/viewlist`), '/list')
        expect(call.path).toMatch(new RegExp(`^${contract.path}/list\\?`))
        await expect(page).toHaveTitle(`ToolBox - ${contract.label} List`)
        await expect(rows(page)).toHaveCount(3)
      })
      await holds(`Its columns are ${columns.join(', ')}.`, async () => {
        await expect(page.getByRole('columnheader')).toHaveText(columns as string[])
      })
      await holds('The status reads Active or Inactive, the owner is an email address.', async () => {
        await expect(cell(first, 'Status')).toHaveText('Active')
        await expect(cell(asleep, 'Status')).toHaveText('Inactive')
        await expect(cell(first, 'Owner')).toHaveText(admin.email)
      })
      await holds('The created timestamp reads dd/MM/yyyy hh:mm:ss a, with its age as a tooltip.', async () => {
        await expect(cell(first, 'Created Timestamp')).toHaveText(stampForm)
        await expect(cell(first, 'Created Timestamp').locator('[title]')).toHaveAttribute(
          'title',
          /^(.+ ago|just now) · /,
        )
      })
      await holds('A search in ID matches only the whole ID.', async () => {
        await search(page, 'ID').fill(first.slice(0, 8))
        await expect(nothing(page)).toBeVisible()
        await search(page, 'ID').fill(first)
        await expect(rows(page)).toHaveCount(1)
        await search(page, 'ID').fill('')
        await expect(rows(page)).toHaveCount(3)
      })
      for (const column of foundByPart)
        await holds(`A search in ${column} matches part of the text in any case.`, async () => {
          const part = (await cell(first, column).innerText()).slice(-5)
          await search(page, column).fill(part.toUpperCase())
          await expect(rows(page)).toHaveCount(1)
          await expect(rowOf(page, first)).toBeVisible()
          await search(page, column).fill('')
          await expect(rows(page)).toHaveCount(3)
        })
      await holds('A search in Status matches the whole word in any case.', async () => {
        await search(page, 'Status').fill('inactive')
        await expect(rows(page)).toHaveCount(1)
        await expect(rowOf(page, asleep)).toBeVisible()
        await search(page, 'Status').fill('Active')
        await expect(rows(page)).toHaveCount(2)
        await search(page, 'Status').fill('Activ')
        await expect(nothing(page)).toBeVisible()
        await search(page, 'Status').fill('')
        await expect(rows(page)).toHaveCount(3)
      })
      await holds('Owner and Created Timestamp match letters in order, even with others between them.', async () => {
        await search(page, 'Owner').fill('adexmpl')
        await search(page, 'Created Timestamp').fill(`${new Date().getFullYear()}M`)
        await expect(page).toHaveURL(/owner=adexmpl.*createdAt=/)
        await expect(rows(page)).toHaveCount(3)
        await search(page, 'Owner').fill('lpmxeda')
        await expect(nothing(page)).toBeVisible()
      })
      await holds('Actions can copy the ID and open the modify page, also by keyboard.', async () => {
        await navigate(page, `${rootOf(tool)}/viewlist?id=${first}`)
        await expect(rows(page)).toHaveCount(1)
        await page.getByRole('button', { name: 'Copy ID' }).click()
        await expect(toasts(page, 'info', first)).toBeVisible()
        expect(await clipboard(page)).toBe(first)
        await page.getByRole('link', { name: 'Edit' }).press('Enter')
        await expect(page).toHaveURL(`${rootOf(tool)}/modify?id=${first}`)
        await expect(page.getByRole('textbox', { name: 'ID', exact: true })).toHaveValue(first)
      })
      await navigate(page, rootOf(tool))
      await expect(page).toHaveTitle(`ToolBox - ${contract.label}`)
      await removeEntries(instance, tool)
      await holds('An empty list reads so and links to creating an entry.', async () => {
        await navigate(page, `${rootOf(tool)}/viewlist`)
        await expect(page.getByText('Nothing here yet')).toBeVisible()
        await expect(page.getByRole('link', { name: 'Create an entry' })).toHaveAttribute(
          'href',
          `${rootOf(tool)}/create`,
        )
      })
    })
  }
})

test.describe('row actions and columns', () => {
  test.use({ signedInAs: 'ada', viewport: { width: 1280, height: 800 } })

  test('the row menu can pause with Undo, and asks before it deletes', async ({
    page,
    instance,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/status of 404/)
    const id = await instance.entry('/in-a-menu')
    await page.goto(`${list}?id=${id}`)
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    const status = page.locator('tbody [data-label=Status]')
    const answer = await delayRequests(page, '**/keepalive/bulk')
    await act('Pause')
    await act('Delete…')
    answer()
    const paused = toasts(page, 'success', '/in-a-menu paused.')
    await expect(paused).toBeVisible()
    // The response to Pause must not close the dialog opened since.
    await page.getByRole('dialog').getByRole('button', { name: 'No' }).click()
    await expect(status).toHaveText('Inactive')
    await paused.getByRole('button', { name: 'Undo' }).click()
    await expect(status).toHaveText('Active')
    await act('Delete…')
    const dialog = page.getByRole('dialog', { name: `Delete ${id} ?` })
    await expect(dialog).toContainText('/in-a-menu')
    await dialog.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expect(toasts(page, 'success', '/in-a-menu deleted.')).toBeVisible()

    await test.step('a dialog stays open when its row disappears, and says why its act is refused', async () => {
      const gone = await instance.entry('/gone-elsewhere')
      await navigate(page, `${list}?id=${gone}`)
      await expect(rowOf(page, '/gone-elsewhere')).toBeVisible()
      await act('Change owner…')
      const owner = page.getByRole('dialog').getByLabel("New owner's email")
      await owner.fill('grace@example.com')
      await instance.remove(gone)
      await expect(page.locator('tbody tr')).toHaveCount(0)
      await expect(owner).toHaveValue('grace@example.com')
      await owner.press('Enter')
      await expect(toasts(page, 'danger', '0 given to grace@example.com, 1 refused')).toBeVisible()
    })
  })

  test('each entry paused on its own has a toast that names it, with an Undo of its own', async ({
    page,
    instance,
  }) => {
    await instance.entry('/pause-one', { name: 'Paired one' })
    await instance.entry('/pause-other', { name: 'Paired other' })
    await page.goto(`${list}?name=Paired`)
    const status = page.locator('tbody [data-label=Status]')
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    for (const at of [0, 1]) {
      await page.getByRole('button', { name: 'More' }).nth(at).click()
      await page.getByRole('menuitem', { name: 'Pause' }).click()
      await expect(undo).toHaveCount(at + 1)
    }
    await expect(status).toHaveText(['Inactive', 'Inactive'])
    for (const name of ['one', 'other']) await expect(toasts(page, 'success', `Paired ${name} paused.`)).toHaveCount(1)
    await undo.first().click()
    await expect(undo).toHaveCount(1)
    await undo.click()
    await expect(status).toHaveText(['Active', 'Active'])
  })

  test('the Columns menu hides and shows columns, and a reload keeps the choice', async ({ page, instance }) => {
    await instance.entry('/fewer-columns', { status: false })
    await page.goto(list)
    const head = page.getByRole('columnheader', { name: 'Owner' })
    const open = () => page.getByRole('button', { name: 'Columns', exact: true }).click()
    const owner = page.getByRole('menuitemcheckbox', { name: 'Owner' })
    await expect(head).toBeVisible()
    await open()
    await expect(owner).toBeChecked()
    await owner.click()
    await expect(owner).not.toBeChecked()
    await page.keyboard.press('Escape')
    await expect(head).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('columnheader', { name: 'Status' })).toBeVisible()
    await expect(head).toHaveCount(0)
    await page.goto(`${list}?owner=ada`)
    await expect(head, 'a searched column').toBeVisible()
    await open()
    await page.getByRole('menuitem', { name: 'Reset columns' }).click()
    await page.goto(list)
    await expect(head).toBeVisible()
  })

  test('a state typed under Status filters the list, and a link back keeps it', async ({ page, instance }) => {
    const id = await instance.entry('/typed-state', { status: false })
    await page.goto(list)
    await page.getByLabel('Search Status').fill('Paus')
    await page.getByRole('button', { name: /^Show \d+ paused entr/ }).click()
    await expect(page).toHaveURL(`${list}?health=paused`)
    await expect(page.getByLabel('Search Status')).toHaveValue('')
    await page.getByRole('columnheader', { name: 'URL' }).getByRole('button', { name: 'URL' }).click()
    await expect(page).toHaveURL(`${list}?health=paused&sort=url`)
    await page.getByRole('link', { name: /^127.*typed-state/ }).click()
    await expect(page).toHaveURL(`/tools/keepalive/modify?id=${id}`)
    await page.getByRole('main').getByRole('link', { name: 'Keep Alive', exact: true }).click()
    await expect(page).toHaveURL(`${list}?health=paused&sort=url`)
    await page.getByLabel('Search Name').fill('no such entry')
    await page.getByRole('button', { name: 'Clear search' }).click()
    await expect(page).toHaveURL(`${list}?sort=url`)
  })
})

test.describe('on a phone', () => {
  test.use({ signedInAs: 'ada', viewport: { width: 360, height: 740 } })

  test('a row shows title and state next to its actions, and runs below', async ({ page, instance }) => {
    const id = await instance.entry(`/phone-${'long-'.repeat(40)}`)
    await page.goto(`${list}?id=${id}`)
    const row = rows(page)
    await expect(row).toHaveCount(1)
    await expect(row.getByText('Up', { exact: true })).toBeVisible()
    const places = await row.locator(':is(td, th):visible').evaluateAll((cells) =>
      cells.map((cell) => {
        const { left, right, top, bottom } = cell.getBoundingClientRect()
        return { label: cell.getAttribute('data-label'), left, right, top, bottom }
      }),
    )
    expect(places.map(({ label }) => label)).toEqual([null, 'Name', 'Last 30 runs', null])
    const [box, name, runs, actions] = places
    for (const { label, left, right } of places) {
      expect(left, String(label)).toBeGreaterThanOrEqual(0)
      expect(right, String(label)).toBeLessThanOrEqual(360)
    }
    expect(name!.bottom).toBeLessThanOrEqual(runs!.top)
    expect(name!.right).toBeLessThanOrEqual(actions!.left)
    expect(box!.right).toBeLessThanOrEqual(name!.left)
    expect((await row.boundingBox())?.height).toBeLessThan(100)
    await row.getByText('Up', { exact: true }).click()
    await expect(page).toHaveURL(`/tools/keepalive/modify?id=${id}`)
  })

  test('one button reveals searching and sorting @release', async ({ page, instance }) => {
    await instance.entry('/phone-asleep', { status: false })
    await instance.entry('/phone-awake')
    await page.goto(list)
    const search = page.getByLabel('Search Status')
    await expect(rows(page).first()).toBeVisible()
    await expect(search).toBeHidden()
    const fold = page.getByRole('button', { name: 'Search and sort' })
    await fold.click()
    await expect(fold).toHaveAttribute('aria-expanded', 'true')
    await search.fill('inactive')
    // Other tests have left entries in this list.
    await expect(rows(page).filter({ hasText: '/phone-awake' })).toHaveCount(0)
    await expect(rows(page).filter({ hasText: '/phone-asleep' })).toHaveCount(1)
    await expect(fold).toContainText('1 search')
    await page.getByRole('columnheader', { name: 'URL' }).getByRole('button', { name: 'URL' }).click()
    await expect(page).toHaveURL(/sort=url/)
    await page.reload()
    await expect(search).toHaveValue('inactive')
  })

  test('a list that failed to load shows an error and can be retried @release', async ({
    page,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/status of 500/)
    // Changes by other tests reload the list, too, so succeed only after a click.
    let isPressed = false
    await page.route(/keepalive\/list/, (route) =>
      isPressed
        ? route.fulfill({ json: { rows: [], total: 0 } })
        : route.fulfill({ status: 500, json: { error: 'Something went wrong.' } }),
    )
    await page.goto(list)
    await expect(page.getByText("Couldn't load this list")).toBeVisible()
    const retryButton = page.getByRole('button', { name: 'Try again' })
    const free = Promise.withResolvers<void>()
    let isAsked = false
    await page.route(/keepalive\/list/, async (route) => {
      isAsked = true
      await free.promise
      await route.fallback()
    })
    // Simulates returning to the tab.
    const comeBack = () => page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await expect.poll(() => comeBack().then(() => isAsked)).toBe(true)
    await nextFrame(page)
    await retryButton.click()
    isPressed = true
    free.resolve()
    await expect(page.getByText('Nothing here yet')).toBeVisible()
  })
})

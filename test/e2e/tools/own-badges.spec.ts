import { barriers, fitsPhone } from '../../support/page/barriers.ts'
import { expect, test, toasts } from '../../support/page/kit.ts'
import { admin } from '../../support/process.ts'

const tool = '/tools/analyticsbadge'
const badge = '/api/v1/analyticsbadge'

test('a visitor is sent to the sign-in page @release', async ({ page }) => {
  await page.goto(`${tool}/badges`)
  await expect(page).toHaveURL(/\/auth\/signin/)
})

test.describe('signed in', () => {
  test.use({ visitor: 'ada', provoked: [/status of 40[03] .*analyticsbadge/] })

  test('a tag is claimed on its page, changed, begun again and released', async ({ page, house }) => {
    await page.goto(`${tool}?tag=ada_own`)
    await page.getByRole('button', { name: 'Claim this tag' }).click()
    await expect(page.getByText('This tag is yours.')).toBeVisible()
    await page.getByRole('link', { name: 'Your badges' }).click()
    await expect(page).toHaveTitle('ToolBox - Your Badges')
    const row = page.getByRole('row', { name: /ada_own/ })
    const total = row.getByRole('cell').nth(2)
    await expect(total).toHaveText('0')
    await fetch(`${house.url}${badge}/ada_own`)
    await expect(total).toHaveText('1')
    await expect(row.getByRole('img')).toHaveAccessibleName('Views of ada_own in the last 30 days: 1, at most 1 a day')

    await row.getByRole('button', { name: 'Edit ada_own' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Base').fill('1000')
    await dialog.getByRole('switch', { name: 'Hide the number' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(total).toHaveText('1,001')
    await expect(row).toContainText('Hidden')
    expect(await (await fetch(`${house.url}${badge}/ada_own`)).text()).toContain('aria-label="views"')

    await row.getByRole('button', { name: 'Edit ada_own' }).click()
    await dialog.getByLabel('Base').fill('5')
    await dialog.getByLabel('Base').press('Enter')
    await expect(dialog.getByRole('alert')).toContainText("The base can't be lowered")
    await page.keyboard.press('Escape')

    await row.getByRole('button', { name: 'Reset ada_own' }).click()
    await expect(dialog).toContainText('Its 1,002 views, its base and its history are lost for good.')
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await expect(total).toHaveText('0')
    await row.getByRole('button', { name: 'Release ada_own' }).click()
    await dialog.getByRole('button', { name: 'Release' }).click()
    await expect(page.getByText('No badges yet.')).toBeVisible()
  })

  test('what is wrong with a tag stands below it, and long ones fit @release', async ({ page, house }) => {
    const long = 'claimed_'.repeat(8)
    await fetch(`${house.url}${badge}/taken_by_views`)
    await page.goto(`${tool}/badges`)
    await page.getByLabel('New tag').fill('taken by_views')
    await expect(page.getByLabel('New tag')).toHaveValue('takenby_views')
    await page.getByLabel('New tag').fill('taken_by_views')
    await page.getByLabel('New tag').press('Enter')
    await expect(page.getByRole('region', { name: 'Claimed tags' }).getByRole('alert')).toContainText(
      'This tag already has views.',
    )
    for (const tag of [long, 'second']) {
      await page.getByLabel('New tag').fill(tag)
      await page.getByRole('button', { name: 'Claim', exact: true }).click()
      await expect(toasts(page, 'success', `${tag} is yours.`)).toBeVisible()
    }
    await expect(page.getByRole('link', { name: long })).toBeVisible()
    await page.getByLabel('New tag').fill('taken_by_views')
    await page.getByLabel('Owner (optional)').fill('nobody@example.com')
    await page.getByRole('button', { name: 'Claim', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Claimed tags' }).getByRole('alert')).toHaveText(
      'Nobody has this email.',
    )
    await page.getByLabel('Owner (optional)').fill(admin.email)
    await page.getByRole('button', { name: 'Claim', exact: true }).click()
    await expect(
      page
        .getByRole('row', { name: /taken_by_views/ })
        .getByRole('cell')
        .nth(2),
    ).toHaveText('1')
    expect(await barriers(page)).toEqual([])
    await fitsPhone(page, `${tool}/badges`)
    for (const tag of [long, 'second', 'taken_by_views']) await house.call('DELETE', `${badge}/${tag}/claim`)
  })
})

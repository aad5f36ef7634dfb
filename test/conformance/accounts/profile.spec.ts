import { expect, test } from '../../support/page/kit.ts'

const email = 'vera@example.com'
const roles = { Admin: 0, Tools: 2 }
const vera = {
  name: 'Vera',
  email,
  credUsername: 'vera',
  password: 'seven green teapots',
  tags: ['Verified', 'Moderator'],
  roles,
}

test('The profile', async ({ page, house, holds }) => {
  const { status, body } = await house.call<{ id: string }>('POST', '/api/v1/admin/user', vera)
  expect(status).toBe(201)
  const card = (name: string) => page.getByRole('region', { name, exact: true })
  const fact = (name: string) =>
    card('User Details').locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]')

  await holds('Without a session it asks to sign in first, and comes up once that is done.', async () => {
    await page.goto('/user')
    await expect(page).toHaveURL('/auth/signin')
    await page.getByRole('link', { name: 'Sign in with username and password' }).click()
    await page.getByLabel('Username').fill('vera')
    await page.getByLabel('Password').fill(vera.password)
    await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
    await expect(page).toHaveURL('/user')
    await expect(page).toHaveTitle('ToolBox - User Profile')
  })
  await holds('User Details holds Account Name, Email, Account Status and Tags.', async () => {
    await expect(card('User Details').locator('dt')).toHaveText(['Account Name', 'Email', 'Account Status', 'Tags'])
    await expect(fact('Account Name')).toHaveText('Vera')
    await expect(fact('Email')).toHaveText(email)
    await expect(fact('Account Status')).toHaveText('Active')
  })
  await holds('Tags are shown as pills, one each.', async () => {
    const pills = fact('Tags').locator('> *')
    await expect(pills).toHaveText(vera.tags)
    for (const pill of await pills.all()) await expect(pill).not.toHaveCSS('border-radius', '0px')
  })
  await holds('Connected Providers is a table of Provider, ID, Username and Profile link.', async () => {
    const heads = card('Connected Providers').getByRole('columnheader')
    await expect(heads.filter({ visible: true })).toContainText(['Provider', 'ID', 'Username', 'Profile link'])
    const cells = card('Connected Providers')
      .getByRole('row', { name: /^Credentials/ })
      .getByRole('cell')
    await expect(cells.nth(0)).toHaveText('Credentials')
    await expect(cells.nth(1)).not.toBeEmpty()
    await expect(cells.nth(2)).toHaveText('vera')
  })
  await holds('The profile link of credentials goes to /user, in a new tab.', async () => {
    const visit = card('Connected Providers').getByRole('link', { name: 'Visit' })
    await expect(visit).toHaveAttribute('href', '/user')
    const [opened] = await Promise.all([page.waitForEvent('popup'), visit.click()])
    await expect(opened).toHaveURL('/user')
    await opened.close()
  })
  await holds('Assigned Roles is a table of Role and Access Level, in words.', async () => {
    await expect(card('Assigned Roles').getByRole('columnheader')).toHaveText(['Role', 'Access Level'])
    await expect(card('Assigned Roles').getByRole('row', { name: 'Tools Admin Access', exact: true })).toBeVisible()
  })
  await holds('A role of level 0 is not shown.', async () => {
    await expect(card('Assigned Roles').locator('tbody').getByRole('row')).toHaveCount(1)
  })
  await holds(
    'When an admin changes a level, the profile shows it by itself: 1 reads Full Access, 2 Admin Access.',
    async () => {
      const { id } = body
      await house.call('PATCH', '/api/v1/admin/user', { id, roles: { Admin: 2, Tools: 1 } })
      await expect(card('Assigned Roles').getByRole('row', { name: 'Tools Full Access', exact: true })).toBeVisible()
      await expect(card('Assigned Roles').getByRole('row', { name: 'Admin Admin Access', exact: true })).toBeVisible()
    },
  )
  await holds('Edit asks for Name and Email; a new email is Unverified until a mailed link confirms it.', async () => {
    await card('User Details').getByRole('button', { name: 'Edit your details' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit your details' })
    await expect(dialog.getByRole('textbox')).toHaveCount(2)
    await dialog.getByLabel('Name').fill('Vera Rubin')
    await dialog.getByLabel('Email').fill(`new-${email}`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(fact('Account Name')).toHaveText('Vera Rubin')
    await expect(fact('Email')).toContainText(`new-${email} Unverified`)
    await expect(fact('Email').getByRole('status')).toContainText("We've sent you a link")
  })
  await house.call('DELETE', `/api/v1/admin/user?email=new-${email}`)
})

import { entryTools, rootOf } from '../../support/page/entry-tools.ts'
import { expect, test } from '../../support/page/kit.ts'

test.use({ signedInAs: 'ada' })

const ways = { Create: 'create', 'View list': 'viewlist', Modify: 'modify' }

for (const tool of entryTools) {
  const { label } = tool.contract
  test(label, async ({ page, holds }) => {
    const main = page.getByRole('main')
    const buttons = main.getByRole('navigation', { name: 'This tool' }).getByRole('link')
    await page.goto(rootOf(tool))
    await holds(`The title is 'ToolBox - ${label}' and the name is its heading.`, async () => {
      await expect(page).toHaveTitle(`ToolBox - ${label}`)
      await expect(main.getByRole('heading', { level: 1 })).toHaveText(label)
    })
    await holds('A short text explains what the tool does.', async () => {
      for (const words of tool.about) await expect(main).toContainText(words)
    })
    await holds('There are three buttons: Create, View list, Modify.', async () => {
      await expect(buttons).toHaveText(Object.keys(ways))
    })
    for (const [name, path] of Object.entries(ways))
      await holds(`${name} leads to ${rootOf(tool)}/${path}, also by keyboard.`, async () => {
        const button = buttons.getByText(name, { exact: true })
        for (const press of [() => button.press('Enter'), () => button.click()]) {
          await press()
          await expect(page).toHaveURL(`${rootOf(tool)}/${path}`)
          await page.goBack()
          await expect(page).toHaveURL(rootOf(tool))
        }
      })
  })
}

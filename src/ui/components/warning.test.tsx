import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ReachNote } from './warning.tsx'

const words = (url: string) => renderToStaticMarkup(<ReachNote url={url} others="Heroku" />).replace(/<[^>]*>/g, '')

test('warns about an address that others can’t reach, and says what to do', () => {
  const todo = 'Set BASE_URL to the public address of this server and restart ToolBox, or ask an admin to.'
  expect(words('http://localhost:3000/hooks/a')).toBe(
    `Only this computer can reach this address; Heroku can&#x27;t. ${todo}`,
  )
  expect(words('http://192.168.1.4/hooks/a')).toContain('Only your own network')
  expect(words('https://toolbox.example.com/hooks/a')).toBe('')
})

// Sends an operation's form as a request and shows the response. Plain JavaScript, served unchanged.
const tokenIn = (name) => new RegExp(`(?:^|; )${name}=([^;]*)`).exec(document.cookie)?.[1]
// Prefers this port's cookie, because another ToolBox on this host may have set the other.
const xsrf = () => tokenIn(`XSRF-TOKEN-${location.port}`) ?? tokenIn('XSRF-TOKEN')

function addressOf(form) {
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const input of form.querySelectorAll('input[data-in]')) {
    if (input.dataset.in === 'path') path = path.replace(`{${input.name}}`, encodeURIComponent(input.value))
    else if (input.value !== '') query.set(input.name, input.value)
  }
  return query.size > 0 ? `${path}?${query}` : path
}

async function send(form) {
  const body = form.elements.body?.value
  const key = document.querySelector('#key').value.trim()
  const headers = key ? { Authorization: `Bearer ${key}` } : { 'X-XSRF-TOKEN': decodeURIComponent(xsrf() ?? '') }
  if (body) headers['Content-Type'] = 'application/json'
  const answer = await fetch(addressOf(form), {
    method: form.dataset.method.toUpperCase(),
    headers,
    credentials: key ? 'omit' : 'same-origin',
    body: body || undefined,
  })
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    await answer.body?.cancel()
    return `${answer.status} A stream of events, open for as long as you listen.`
  }
  return `${answer.status} ${answer.statusText}\n${pretty(await answer.text())}`
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

document.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  const output = form.querySelector('output')
  output.textContent = '…'
  // The output scrolls, so it must be focusable by keyboard.
  output.tabIndex = 0
  output.textContent = await send(form).catch((error) => error.message)
})

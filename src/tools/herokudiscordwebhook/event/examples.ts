import events from './examples.json' with { type: 'json' }

/** One event of every kind as Heroku posts it, with invented values. */
export const examples = Object.entries<unknown>(events).map(([name, payload]) => ({ name, payload }))

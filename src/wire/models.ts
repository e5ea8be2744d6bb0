// Facts of models that are met on several wires, for profiles to name.

/** Models of OpenAI that refuse the effort `none`, which came with gpt-5.1: those before it always think, or never. */
export const withoutNone: RegExp = /^(?:chatgpt|gpt-[34]|gpt-5(?!\.)|o\d)/

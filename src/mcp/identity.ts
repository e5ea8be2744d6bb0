// What peers are told of this library unless a program says who it is. The version is that of package.json; a test compares.

export const identity: { readonly name: string; readonly version: string } = { name: 'toolwire', version: '0.1.0' }

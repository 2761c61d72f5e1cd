/**
 * The smallest tool that can be measured: a model in memory, queried in EOL over HTTP. {@link
 * org.modelstress.example.ExampleServer} is the tool under test, {@link
 * org.modelstress.example.ExampleDriver} its client side; the two agree on one request, {@code POST
 * /query?tuple=a,b} with the query as its body, answered by one identifier per line. A query is a
 * stranger's: see {@link org.modelstress.example.OwnRequests} and what the server parses it with.
 */
package org.modelstress.example;

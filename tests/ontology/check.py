"""Checks an ontology's two forms: the same graph, no broken literal, and the shapes hold.

    check.py ontology.ttl ontology.rdf

Then it breaks the graph in one way a shape each and sees that it is noticed: a check that cannot fail
proves nothing. Prints what was counted; ends with 1 at the first thing that is wrong.
"""

import logging
import pathlib
import sys

import pyshacl
import rdflib
from rdflib.compare import graph_diff
from rdflib.namespace import DCTERMS, RDF, SKOS

HERE = pathlib.Path(__file__).parent
OWN = rdflib.Namespace("urn:newslode:vocabulary:")
SCHEMA = rdflib.Namespace("https://schema.org/")


def fail(words):
    print(words, file=sys.stderr)
    sys.exit(1)


def broken_literals(graph):
    """Literals whose text is not of their type: rdflib says None for their value."""
    typed = (o for _, _, o in graph if isinstance(o, rdflib.Literal) and o.datatype and o.datatype != RDF.langString)
    return [literal for literal in typed if literal.ill_typed]


def conforms(graph, shapes):
    holds, _, words = pyshacl.validate(graph, shacl_graph=shapes, inference="none", advanced=True)
    return holds, words


def shared_pair(graph):
    """A concept of several sites and the one above it; none if there are no such."""
    pairs = graph.subject_objects(SKOS.broader)
    return next((pair for pair in pairs if (pair[0], OWN.support, None) in graph), None)


def damages(graph):
    """Each breaks one rule: (what, triples to add, triples to take away)."""
    narrower, broader = shared_pair(graph)
    scheme = next(graph.objects(narrower, SKOS.inScheme))
    label = next(graph.objects(narrower, SKOS.prefLabel))
    relation = next(graph.subjects(OWN.narrower, narrower))
    support = next(graph.objects(narrower, OWN.support))
    second = rdflib.Literal(f"{label} again", lang=label.language)
    yield "two preferred labels of one language", [(narrower, SKOS.prefLabel, second)], []
    yield "a label both preferred and alternative", [(narrower, SKOS.altLabel, label)], []
    yield "no preferred label", [], [(narrower, SKOS.prefLabel, label)]
    yield "a concept out of the scheme", [], [(narrower, SKOS.inScheme, scheme)]
    yield "a cycle", [(broader, SKOS.broader, narrower), (narrower, SKOS.narrower, broader)], []
    yield "related and broader", [(narrower, SKOS.related, broader)], []
    yield "broader without narrower", [], [(broader, SKOS.narrower, narrower)]
    yield "a top concept with a broader one", [(narrower, SKOS.topConceptOf, scheme)], []
    yield "an unproved relation", [], [(relation, RDF.type, OWN.Relation)]
    yield "no support", [], [(narrower, OWN.support, support)]
    yield "a concept that is none", [(rdflib.URIRef("urn:x:a"), RDF.type, SCHEMA.NewsArticle),
                                     (rdflib.URIRef("urn:x:a"), SCHEMA.about, scheme)], []
    for replaced in list(graph.subjects(DCTERMS.isReplacedBy, None))[:1]:
        yield "a concept of two identifiers", [(narrower, DCTERMS.identifier, rdflib.Literal(one)) for one in "ab"], []
        yield "a concept that is replaced by none", [(replaced, DCTERMS.isReplacedBy, scheme)], []
    for place in [place for place in graph.subjects(OWN.kind, None) if (None, DCTERMS.subject, place) in graph][:1]:
        own = next(graph.objects(place, SKOS.inScheme))
        yield "a place that is neither section nor tag", [(place, OWN.kind, rdflib.Literal("page"))], []
        yield "a place of two sites", [(place, SKOS.inScheme, scheme)], []
        yield "a scheme of no site", [], list(graph.triples((own, OWN.site, None)))
        yield "a place that is none", [(next(graph.subjects(DCTERMS.subject, place)), DCTERMS.subject, own)], []
    for page, _, of in list(graph.triples((None, SCHEMA.additionalProperty, None)))[:1]:
        yield "a property without a name", [], list(graph.triples((of, SCHEMA.name, None)))
        yield "a property without a value", [], list(graph.triples((of, SCHEMA.value, None)))
        yield "a property of nothing", [], [(page, SCHEMA.additionalProperty, of)]
        yield "an instance of nothing", [], list(graph.triples((page, SCHEMA.about, None)))


def main(turtle, xml):
    first = rdflib.Graph().parse(turtle, format="turtle")
    second = rdflib.Graph().parse(xml, format="xml")
    # No blank nodes: the same graph is the same set.
    if set(first) != set(second):
        _, in_first, in_second = graph_diff(first, second)
        fail(f"the forms differ; only in Turtle:\n{in_first.serialize()}\nonly in RDF/XML:\n{in_second.serialize()}")
    if broken := broken_literals(first):
        fail(f"literals that are not of their type: {broken[:5]}")
    shapes = rdflib.Graph().parse(HERE / "shapes.ttl", format="turtle")
    holds, words = conforms(first, shapes)
    if not holds:
        fail(words)
    relations = sum(1 for _ in first.subjects(RDF.type, OWN.Relation))
    noticed = 0
    for what, more, less in damages(first) if shared_pair(first) else []:
        copy = rdflib.Graph()
        copy += first
        for triple in more:
            copy.add(triple)
        for triple in less:
            copy.remove(triple)
        if conforms(copy, shapes)[0]:
            fail(f"the shapes do not notice: {what}")
        noticed += 1
    count = lambda kind: sum(1 for _ in first.subjects(RDF.type, kind))
    places = sum(1 for _ in first.subjects(OWN.kind, None))
    sites = len(set(scheme for place in first.subjects(OWN.kind, None) for scheme in first.objects(place, SKOS.inScheme)))
    print(f"{len(first)} triples, the same in both forms: {count(SKOS.Concept) - places} concepts, {relations} relations, "
          f"{count(SCHEMA.NewsArticle)} articles, {places} places in the schemes of {sites} sites, {count(SCHEMA.WebPage)} other instances with "
          f"{count(SCHEMA.PropertyValue)} properties; the shapes hold, and notice {noticed} damages")


if __name__ == "__main__":
    logging.getLogger("rdflib").setLevel(logging.ERROR)
    main(*sys.argv[1:])
